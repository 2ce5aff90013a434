// Texts of statements as parts of one.
#include "composed.h"

namespace pawl::postgres {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The parameters counted from another number on.
std::string renumbered(const std::string& text, std::size_t first) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    result += text[at];
    if (text[at++] != '$') continue;
    std::size_t number = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      number = number * 10 + static_cast<std::size_t>(text[at] - '0');
    }
    result += std::to_string(number + first);
  }
  return result;
}

std::string name_of(std::size_t part) { return part == 0 ? "g" : "p" + std::to_string(part); }

}  // namespace

Composed::Composed(const Params& params) {
  params_.reserve(96, 2'048);
  add(Sql::kGuardSession, params);
}

void Composed::add(Sql part, const Params& params) {
  const bool one_row = params.is_one_row();
  parts_.push_back({part, one_row, params_.size()});
  params_.join(params, one_row);
  key_ += static_cast<char>(part);
  key_ += one_row ? '1' : 'n';
}

void Composed::read_event(const std::string& session, std::int64_t index) {
  end_.text(session).number(index);
  reads_event_ = true;
}

void Composed::finish(std::int64_t from, std::int64_t before, bool tells_time) {
  tells_time_ = tells_time;
  params_.number(from).number(before);
  params_.join(end_, false);
  key_ += tells_time ? 't' : '-';
  key_ += reads_event_ ? 'e' : '-';
}

// Each part is joined to the guard's row, so that the lock comes first.
std::string Composed::text(const std::string& schema) const {
  std::string text = "WITH ";
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const std::string whole = kStatements[static_cast<std::size_t>(part.sql)].text;
    std::string own = part.one_row ? for_one_row(whole) : whole;
    if (own.empty()) own = whole;
    if (i > 0) {
      replace_all(own, "FROM (VALUES (", "FROM g CROSS JOIN (VALUES (");
      replace_all(own, "FROM unnest(", "FROM g CROSS JOIN unnest(");
      replace_all(own, kNow, "g.now");
      text += ", ";
    }
    text += name_of(i) + " AS (" + renumbered(own, part.first) + ")";
  }
  std::string end =
      tells_time_ ? "set_config('pawl.now', coalesce(g.now, 0)::text, true)::bigint" : "g.now";
  end += ", ln(CASE WHEN g.now >= $1::bigint AND g.now < $2::bigint THEN 1 ELSE 0 END)";
  if (reads_event_) end += std::string(", ") + kReadEventColumns;
  end += " FROM (VALUES (1)) one LEFT JOIN g ON true";
  if (reads_event_) end += std::string(" ") + kReadEvent;
  text += " SELECT " + renumbered(end, params_.size() - (reads_event_ ? 4 : 2));
  return in_schema(text, schema);
}

}  // namespace pawl::postgres
