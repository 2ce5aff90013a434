// The model's table of operations, its undoing, and what many rules need.
#include "model/rules.h"

#include <algorithm>

namespace pawl::model {
namespace {

std::int64_t size_of(const Json& value) { return static_cast<std::int64_t>(value.dump().size()); }

}  // namespace

Model::Model(ModelOptions options) : rules_(std::make_unique<Rules>(options)) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

Json Model::answer(const Json& op) {
  try {
    return {{"ok", rules_->perform(op)}};
  } catch (const ModelError& error) {
    return {{"error", {{"code", error.code}, {"message", error.message}}}};
  }
}

std::string Model::answer_line(std::string_view line) {
  const bool readable =
      !line.starts_with("\xEF\xBB\xBF") && line.find('\0') == std::string_view::npos;
  Json op = Json::parse(readable ? line : "", nullptr, false);
  if (op.is_discarded() || rules_->too_long(line)) op = nullptr;
  return answer(op).dump();
}

const std::map<std::string, Rules::Operation>& Rules::operations() {
  static const std::map<std::string, Operation> table = {
      {"append", &Rules::append},
      {"append_batch", &Rules::append_batch},
      {"claim", &Rules::claim},
      {"claim_ready", &Rules::claim_ready},
      {"clear", &Rules::clear},
      {"clock", &Rules::clock},
      {"complete", &Rules::complete},
      {"cursors", &Rules::cursors},
      {"dead_letters", &Rules::dead_letters},
      {"delete_consumer", &Rules::delete_consumer},
      {"delete_session", &Rules::delete_session},
      {"fail", &Rules::fail},
      {"head", &Rules::head},
      {"load_snapshot", &Rules::load_snapshot},
      {"maintain", &Rules::maintain},
      {"presence", &Rules::presence},
      {"prune", &Rules::prune},
      {"put_snapshots", &Rules::put_snapshots},
      {"read", &Rules::read},
      {"ready", &Rules::ready},
      {"reclaim", &Rules::reclaim},
      {"reclaim_presence", &Rules::reclaim_presence},
      {"redrive", &Rules::redrive},
      {"release", &Rules::release},
      {"renew", &Rules::renew},
      {"sessions", &Rules::sessions},
      {"set_presence", &Rules::set_presence},
      {"settle", &Rules::settle},
      {"wait", &Rules::wait},
      {"wake_log", &Rules::wake_log},
  };
  return table;
}

bool Rules::too_long(std::string_view line) const {
  return static_cast<std::int64_t>(line.size()) > options_.max_call_bytes;
}

Json Rules::perform(const Json& op) {
  if (!op.is_object()) refuse("an operation must be a JSON object");
  Arguments arguments(op, "");
  const std::string verb = arguments.string("op");
  const auto found = operations().find(verb);
  if (found == operations().end()) refuse("op: there is no operation " + verb);
  const std::int64_t ids_drawn = ids_drawn_;
  before_.clear();
  try {
    Json answer = (this->*found->second)(arguments);
    cut_short(verb, answer);
    return answer;
  } catch (const ModelError&) {
    for (const auto& [name, session] : before_) sessions_[name] = session;
    ids_drawn_ = ids_drawn;
    throw;
  }
}

// A list of what is stored. Answers that change something are not modelled here.
void Rules::cut_short(const std::string& verb, Json& answer) const {
  static const std::set<std::string> lists = {"read", "cursors", "dead_letters", "sessions",
                                              "presence"};
  // Counting is slow, and nobody fills the default.
  if (!lists.count(verb) || options_.max_call_bytes >= ModelOptions{}.max_call_bytes) return;
  std::size_t kept = 0;
  std::int64_t size = 0;
  for (; kept < answer.size(); ++kept) {
    size += size_of(answer[kept]);
    if (kept > 0 && size > options_.max_call_bytes) break;
  }
  answer.erase(answer.begin() + static_cast<std::ptrdiff_t>(kept), answer.end());
}

Json Rules::clock(Arguments& arguments) {
  const std::int64_t now = arguments.integer("now", 1, kMaxTime);
  arguments.nothing_else();
  now_ = now;
  return Json::object();
}

const Session& Rules::look(const std::string& name) const {
  static const Session unknown;
  const auto found = sessions_.find(name);
  return found == sessions_.end() ? unknown : found->second;
}

Session& Rules::change(const std::string& name) {
  Session& session = sessions_[name];
  session.name = name;
  before_.emplace(name, session);
  return session;
}

// Below the clear marker, and up to a noted one, there is nothing for any operation.
bool Rules::visible(const Session& session, const Event& event) {
  return event.index >= session.clear_index && event.index > session.noted_marker;
}

bool Rules::exists(const Session& session, const Cursor& cursor) {
  if (cursor.kind == Kind::kLog) return true;
  if (cursor.kind == Kind::kEvent) return cursor.event > session.clear_index;
  return cursor.head.value_or(cursor.position) > session.clear_index;
}

const Event* Rules::find_event(const Session& session, std::int64_t index) {
  for (const Event& event : session.events) {
    if (event.index == index && visible(session, event)) return &event;
  }
  return nullptr;
}

const Event* Rules::find_id(const Session& session, const std::string& id) {
  for (const Event& event : session.events) {
    if (event.id == id && visible(session, event)) return &event;
  }
  return nullptr;
}

// An event cursor is its own index; any other is its lane, whatever its head is.
bool Rules::names(const Cursor& cursor, const HeadRef& ref) {
  if (cursor.consumer != ref.consumer || cursor.lane != ref.lane) return false;
  return cursor.kind != Kind::kEvent || cursor.event == ref.index;
}

const Cursor* Rules::find_cursor(const Session& session, const HeadRef& ref) {
  for (const Cursor& cursor : session.cursors) {
    if (names(cursor, ref) && exists(session, cursor)) return &cursor;
  }
  return nullptr;
}

Cursor* Rules::find_cursor(Session& session, const HeadRef& ref) {
  return const_cast<Cursor*>(find_cursor(std::as_const(session), ref));
}

HeadRef Rules::ref_of_head(const Cursor& cursor) {
  return {cursor.consumer, cursor.lane, cursor.head.value_or(0)};
}

bool Rules::has_live_head(const Session& session, const Cursor& cursor) {
  return cursor.head && *cursor.head > session.clear_index && !cursor.dispatch.failed_at;
}

bool Rules::serves(const Served& served, const std::string& consumer) {
  if (!served) return true;
  return std::any_of(served->begin(), served->end(),
                     [&](const Consumer& one) { return one.name == consumer; });
}

bool Rules::has_pending(const Session& session, const Served& served) {
  return std::any_of(session.cursors.begin(), session.cursors.end(), [&](const Cursor& cursor) {
    return serves(served, cursor.consumer) && has_live_head(session, cursor);
  });
}

void Rules::refresh_types(Session& session, const Served& served) {
  if (!served) return;
  for (const Consumer& consumer : *served) {
    if (!consumer.log) continue;
    Cursor* cursor = find_cursor(session, {consumer.name, consumer.log->lane, 0});
    if (cursor && cursor->kind == Kind::kLog) cursor->types = consumer.log->types;
  }
}

std::optional<std::int64_t> Rules::first_of_types(const Session& session, std::int64_t above,
                                                  const Types& types) {
  for (const Event& event : session.events) {
    if (event.index <= above || event.index <= session.clear_index) continue;
    if (!types || types->count(event.type)) return event.index;
  }
  return std::nullopt;
}

void put_text(Json& object, const std::string& key, const Text& text) {
  if (text->text.find_first_of("\r\n") != std::string::npos) {
    object[key + "_text"] = text->text;
  } else {
    object[key] = text->value;
  }
}

Json ref_json(const HeadRef& ref) {
  Json result = {{"consumer", ref.consumer}, {"index", ref.index}};
  put_optional(result, "lane", ref.lane);
  return result;
}

}  // namespace pawl::model
