// One line in, one line out.
#include "pawl/jsonl.h"

#include <array>
#include <utility>

#include "operations.h"

namespace pawl {
namespace jsonl {

Operation find_operation(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Operation>, 30> kOperations{{
      {"append", append},
      {"append_batch", append_batch},
      {"wake_log", wake_log},
      {"cursors", cursors},
      {"read", read},
      {"head", head},
      {"sessions", sessions},
      {"claim", claim},
      {"renew", renew},
      {"claim_ready", claim_ready},
      {"complete", complete},
      {"fail", fail},
      {"release", release},
      {"settle", settle},
      {"dead_letters", dead_letters},
      {"redrive", redrive},
      {"put_snapshots", put_snapshots},
      {"load_snapshot", load_snapshot},
      {"set_presence", set_presence},
      {"presence", presence},
      {"reclaim_presence", reclaim_presence},
      {"clear", clear},
      {"reclaim", reclaim},
      {"prune", prune},
      {"delete_session", delete_session},
      {"delete_consumer", delete_consumer},
      {"maintain", maintain},
      {"ready", ready},
      {"wait", wait},
      {"clock", set_clock},
  }};
  for (const auto& [known, operation] : kOperations) {
    if (known == name) return operation;
  }
  return nullptr;
}

namespace {

void perform(Store& store, ManualClock* clock, std::string_view line, std::string& out) {
  if (const char* fault = line_fault(line)) {
    throw Error(ErrorCode::kInvalidArgument, std::string("the line ") + fault);
  }
  Object arguments(trimmed(line), "");
  const std::string name = arguments.text("op");
  const Operation operation = find_operation(name);
  if (operation == nullptr || (operation == set_clock && clock == nullptr)) {
    arguments.refuse("op", "\"" + name + "\" is not known");
  }
  Call call{store, clock, arguments, out};
  operation(call);
}

}  // namespace
}  // namespace jsonl

JsonLines::JsonLines(Store& store, std::shared_ptr<ManualClock> clock)
    : store_(store), clock_(std::move(clock)) {}

std::string JsonLines::answer(std::string_view line) {
  try {
    std::string out = "{\"ok\":";
    jsonl::perform(store_, clock_.get(), line, out);
    out += '}';
    return out;
  } catch (const Error& error) {
    std::string out = "{\"error\":";
    jsonl::write(out, error);
    out += '}';
    return out;
  }
}

}  // namespace pawl
