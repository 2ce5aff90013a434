// Options and URIs.
#include "options.h"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "pawl/error.h"

namespace pawl::postgres {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, "postgres: " + message);
}

std::int64_t read_number(const std::string& name, const std::string& text, std::int64_t least,
                         std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    refuse("option " + name + " is a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
  }
  return value;
}

bool read_switch(const std::string& name, const std::string& text) {
  if (text != "on" && text != "off") refuse("option " + name + " is on or off");
  return text == "on";
}

std::string read_schema(const std::string& text) {
  constexpr std::size_t kLongestIdentifier = 63;  // the server would cut it, and two become one
  if (text.empty() || text.size() > kLongestIdentifier || text.find('\0') != std::string::npos) {
    refuse("option schema is a name of 1 to 63 bytes");
  }
  if (text.starts_with("pg_")) refuse("option schema: the server keeps names in pg_ to itself");
  return text;
}

struct Option {
  const char* name;
  void (*set)(EngineOptions&, const std::string& name, const std::string& text);
};

constexpr Option kOptions[] = {
    {"schema", [](EngineOptions& o, const std::string&,
                  const std::string& text) { o.schema = read_schema(text); }},
    {"connections",
     [](EngineOptions& o, const std::string& name, const std::string& text) {
       o.connections = read_number(name, text, 1, 1'000);
     }},
    {"connect_timeout_ms",
     [](EngineOptions& o, const std::string& name, const std::string& text) {
       o.connect_timeout = std::chrono::milliseconds(read_number(name, text, 1, 3'600'000));
     }},
    {"statement_timeout_ms",
     [](EngineOptions& o, const std::string& name, const std::string& text) {
       o.statement_timeout = std::chrono::milliseconds(read_number(name, text, 1, 86'400'000));
     }},
    {"prepare", [](EngineOptions& o, const std::string& name,
                   const std::string& text) { o.prepare = read_switch(name, text); }},
    {"notify", [](EngineOptions& o, const std::string& name,
                  const std::string& text) { o.notify = read_switch(name, text); }},
    {"notify_uri",
     [](EngineOptions& o, const std::string&, const std::string& text) { o.notify_uri = text; }},
    {"remember_kib",
     [](EngineOptions& o, const std::string& name, const std::string& text) {
       o.remember_kib = read_number(name, text, 0, 1'048'576);
     }},
};

const Option& option_of(const std::string& name) {
  for (const Option& option : kOptions) {
    if (name == option.name) return option;
  }
  std::string message = "unknown option " + name + "; known are";
  for (const Option& option : kOptions) message += std::string(" ") + option.name;
  refuse(message);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = list.find(',', begin);
    parts.push_back(list.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

bool is_this_machine(const std::string& host) {
  return host.empty() || host[0] == '/' || host[0] == '@' || host == "localhost" || host == "::1" ||
         host.starts_with("127.");
}

// The value of a keyword, or of the variable that libpq takes it from.
std::string value_of(const Target& target, const char* keyword, const char* variable) {
  if (const std::string* given = target.find(keyword)) return *given;
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

// A service file is not read here: what it says of hosts is not known, so none is trusted.
bool is_local(const Target& target) {
  if (!value_of(target, "service", "PGSERVICE").empty()) return false;
  const std::string addresses = value_of(target, "hostaddr", "PGHOSTADDR");
  const std::string hosts = addresses.empty() ? value_of(target, "host", "PGHOST") : addresses;
  for (const std::string& host : split(hosts)) {
    if (!is_this_machine(host)) return false;
  }
  return true;
}

void refuse_odd_hosts(const Target& target) {
  const std::string* hosts = target.find("host");
  if (hosts == nullptr) return;
  for (const std::string& host : split(*hosts)) {
    if (host.find('@', 1) != std::string::npos && host[0] != '/') {
      refuse("the URI's host holds an '@': in a password it is written %40");
    }
  }
}

}  // namespace

EngineOptions read_engine_options(const OpenOptions& options) {
  EngineOptions engine;
  for (const auto& [name, text] : options.engine) option_of(name).set(engine, name, text);
  return engine;
}

const std::string* Target::find(std::string_view keyword) const {
  for (const auto& [name, value] : keywords) {
    if (name == keyword) return &value;
  }
  return nullptr;
}

// Lists of different lengths are libpq's to refuse.
std::vector<Target> Target::hosts() const {
  constexpr std::array kLists{"host", "hostaddr", "port"};
  std::size_t count = 1;
  for (const char* list : kLists) {
    if (const std::string* given = find(list)) count = std::max(count, split(*given).size());
  }
  std::vector<Target> hosts(count, *this);
  for (std::size_t i = 0; i < count; ++i) {
    for (auto& [keyword, value] : hosts[i].keywords) {
      if (std::find(kLists.begin(), kLists.end(), keyword) == kLists.end()) continue;
      const std::vector<std::string> parts = split(value);
      if (parts.size() == count) {
        value = parts[i];
      } else if (parts.size() > 1) {
        return {*this};
      }
    }
  }
  return hosts;
}

Target read_uri(std::string_view uri) {
  char* error = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(
      PQconninfoParse(std::string(uri).c_str(), &error), PQconninfoFree);
  const std::unique_ptr<char, void (*)(void*)> freed(error, PQfreemem);
  if (!parsed) {
    // What libpq quotes, by the marks of whatever language, may be a part of the password.
    const std::string why = error == nullptr ? "out of memory" : error;
    refuse("libpq does not accept the URI: " +
           why.substr(0, why.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ -,")));
  }
  Target target;
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) target.keywords.emplace_back(option->keyword, option->val);
  }
  refuse_odd_hosts(target);
  if (value_of(target, "sslmode", "PGSSLMODE").empty() && !is_local(target)) {
    target.keywords.emplace_back("sslmode", "verify-full");
  }
  const bool several = value_of(target, "host", "PGHOST").find(',') != std::string::npos;
  if (several && value_of(target, "target_session_attrs", "PGTARGETSESSIONATTRS").empty()) {
    target.keywords.emplace_back("target_session_attrs", "read-write");
  }
  std::erase_if(target.keywords, [](const auto& k) { return k.first == "client_encoding"; });
  target.keywords.emplace_back("client_encoding", "UTF8");
  if (target.find("application_name") == nullptr) {
    target.keywords.emplace_back("fallback_application_name", "pawl");
  }
  return target;
}

}  // namespace pawl::postgres
