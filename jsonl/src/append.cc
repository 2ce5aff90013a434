// Operations: appending and reading.
#include "operations.h"

namespace pawl::jsonl {
namespace {

// `keep` holds the consumers that the item borrows.
AppendItem append_item(Object& from, Consumers& keep) {
  AppendItem item{.session = from.text("session"), .events = new_events(from)};
  keep = consumers(from);
  item.consumers = keep.served();
  from.integer_into(item.origin_index, "origin_index");
  from.end();
  return item;
}

}  // namespace

void append(Call& call) {
  Consumers keep;
  const AppendItem item = append_item(call.arguments, keep);
  write(call.out,
        call.store.append(item.session, item.events,
                          {.consumers = item.consumers, .origin_index = item.origin_index}));
}

void append_batch(Call& call) {
  std::vector<Object> objects = call.arguments.objects("items");
  call.arguments.end();
  std::vector<Consumers> keep(objects.size());
  std::vector<AppendItem> items;
  items.reserve(objects.size());
  for (Object& object : objects) items.push_back(append_item(object, keep[items.size()]));
  write(call.out, call.store.append_batch(items));
}

void wake_log(Call& call) {
  const std::string session = call.arguments.text("session");
  const Consumer woken = consumer(call.arguments.object("consumer"));
  call.arguments.end();
  write(call.out, call.store.wake_log(session, woken));
}

void cursors(Call& call) {
  const std::string session = call.arguments.text("session");
  const PageOptions options = page_options(call.arguments);
  call.arguments.end();
  write(call.out, call.store.cursors(session, options));
}

void read(Call& call) {
  const std::string session = call.arguments.text("session");
  ReadOptions options;
  call.arguments.integer_into(options.after, "after");
  call.arguments.integer_into(options.limit, "limit");
  options.types = call.arguments.optional_texts("types");
  options.through = call.arguments.optional_integer("through");
  call.arguments.end();
  write(call.out, call.store.read(session, options));
}

void head(Call& call) {
  const std::string session = call.arguments.text("session");
  call.arguments.end();
  write(call.out, call.store.head(session));
}

void sessions(Call& call) {
  SessionsOptions options;
  options.after = call.arguments.optional_text("after");
  call.arguments.integer_into(options.limit, "limit");
  call.arguments.end();
  write(call.out, call.store.sessions(options));
}

}  // namespace pawl::jsonl
