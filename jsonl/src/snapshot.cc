// Operations: snapshots and presence.
#include "operations.h"

namespace pawl::jsonl {

void put_snapshots(Call& call) {
  Object& arguments = call.arguments;
  const std::string session = arguments.text("session");
  const std::string reducer = arguments.text("reducer");
  std::vector<SnapshotWrite> writes;
  for (Object& object : arguments.objects("writes")) {
    SnapshotWrite write{.index = object.integer("index"), .state = object.json("state")};
    if (const auto pins = object.optional_objects("pins")) {
      for (const Object& pin : *pins) write.pins.push_back(whole_head_ref(pin));
    }
    object.end();
    writes.push_back(std::move(write));
  }
  arguments.end();
  call.store.put_snapshots(session, reducer, writes);
  call.out += "{}";
}

void load_snapshot(Call& call) {
  Object& arguments = call.arguments;
  const std::string session = arguments.text("session");
  const std::string reducer = arguments.text("reducer");
  LoadSnapshotOptions options;
  options.through = arguments.optional_integer("through");
  arguments.integer_into(options.limit, "limit");
  arguments.end();
  write(call.out, call.store.load_snapshot(session, reducer, options));
}

void set_presence(Call& call) {
  Object& arguments = call.arguments;
  const std::string name_space = arguments.text("namespace");
  const std::string participant = arguments.text("participant");
  const std::vector<PresenceField> fields = arguments.presence_fields("fields");
  const PresenceOptions options{.at = arguments.time("at"),
                                .ttl = arguments.duration("ttl_ms"),
                                .seen = arguments.optional_integer("seen")};
  arguments.end();
  call.store.set_presence(name_space, participant, fields, options);
  call.out += "{}";
}

void presence(Call& call) {
  const std::string name_space = call.arguments.text("namespace");
  call.arguments.end();
  write(call.out, call.store.presence(name_space));
}

void reclaim_presence(Call& call) {
  const std::string name_space = call.arguments.text("namespace");
  const auto limit = call.arguments.optional_integer("limit");
  call.arguments.end();
  write(call.out, limit ? call.store.reclaim_presence(name_space, *limit)
                        : call.store.reclaim_presence(name_space));
}

}  // namespace pawl::jsonl
