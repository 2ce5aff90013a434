// The operations in words, and the place and store of a case.
#include "cases/fixture.h"

#include <gtest/gtest.h>

#include <barrier>
#include <exception>

namespace pawl::conformance {
namespace {

void join(std::string& text, const std::string& more, const char* separator = " ") {
  if (!text.empty() && !more.empty()) text += separator;
  text += more;
}

const char* pending(bool has_pending) { return has_pending ? "pending" : "settled"; }

std::optional<Duration> maybe_duration(MaybeInt ms) {
  return ms ? std::optional(Duration(*ms)) : std::nullopt;
}

}  // namespace

std::string Ops::add(std::string_view events, const ServedList& served, Int origin_index) {
  const AppendResult result =
      store().append(s_, parse_events(events), {served.get(), origin_index});
  std::string text = show(result.events);
  join(text, pending(result.has_pending));
  return text;
}

std::string Ops::wake(std::string_view consumer) {
  const WakeLogResult result = store().wake_log(s_, ServedList(consumer).consumers().at(0));
  return show(result.cursor) + " (last " + std::to_string(result.last_index) + ")";
}

std::string Ops::cursors() {
  std::string text;
  for (const Cursor& cursor : store().cursors(s_)) join(text, show(cursor), "\n");
  return text;
}

std::string Ops::cursor(std::string_view key) {
  const HeadRef ref = parse_ref(key);
  for (const Cursor& c : store().cursors(s_)) {
    const bool event = c.kind == CursorKind::kEvent && !ref.lane && c.head == ref.index;
    if (c.consumer == ref.consumer && (event || (ref.lane && c.lane == ref.lane))) return show(c);
  }
  return "none";
}

std::string Ops::read(const ReadOptions& options) { return show(store().read(s_, options)); }

std::string Ops::head() {
  const SessionHead head = store().head(s_);
  return "last " + std::to_string(head.last_index) + " clear " + std::to_string(head.clear_index);
}

std::string Ops::claim(const ClaimArgs& args) {
  const ServedList served(args.served);
  ClaimOptions options{.holder = args.holder};
  if (args.expires_at) {
    options.expires_at = ms(*args.expires_at);
  } else {
    options.ttl = Duration(args.ttl);
  }
  options.consumers = served.get();
  options.exclude = parse_refs(args.exclude);
  options.through = args.through;
  options.max_failures = args.max_failures;
  options.limit = args.limit;
  return show(store().claim(s_, options));
}

std::string Ops::renew(std::string_view claims, Int ttl, const std::string& holder) {
  return show(store().renew(s_, parse_claims(claims), {.holder = holder, .ttl = Duration(ttl)}));
}

std::string Ops::complete(std::string_view claim, std::string_view events,
                          const ServedList& served) {
  return show(store().complete(s_, parse_claim(claim), parse_events(events), {served.get()}),
              false);
}

std::string Ops::fail(std::string_view claim, Int max_failures, MaybeInt retry_after,
                      const std::string& error) {
  return show(store().fail(s_, parse_claim(claim),
                           {.error = error,
                            .max_failures = max_failures,
                            .retry_after = maybe_duration(retry_after)}),
              true);
}

std::string Ops::release(std::string_view claim, MaybeInt delay) {
  return show(store().release(s_, parse_claim(claim), {maybe_duration(delay)}), false);
}

std::string Ops::dead(const PageOptions& options) {
  return show(store().dead_letters(s_, options));
}

std::string Ops::redrive(std::string_view ref, RedriveAction action, const ServedList& served) {
  const HeadRef head = parse_ref(ref);
  const RedriveResult result =
      store().redrive(s_, head.consumer, head.index, action, {head.lane, served.get()});
  return std::string(result.redriven ? "redriven " : "none ") + pending(result.has_pending);
}

void Ops::put(std::string_view reducer, std::string_view writes) {
  std::vector<SnapshotWrite> list;
  for (const std::string& word : words(writes)) {
    const size_t equals = word.find('=');
    const size_t pins = word.find('<');
    SnapshotWrite write{std::stoll(word.substr(0, equals)),
                        word.substr(equals + 1, pins - equals - 1)};
    if (pins != std::string::npos) {
      for (const std::string& pin : words(word.substr(pins + 1), ',')) {
        write.pins.push_back(parse_ref(pin));
      }
    }
    list.push_back(write);
  }
  store().put_snapshots(s_, reducer, list);
}

std::string Ops::load(std::string_view reducer, MaybeInt through, Int limit) {
  return show(store().load_snapshot(s_, reducer, {through, limit}));
}

std::string Ops::clear(const ClearOptions& options) {
  const ClearResult result = store().clear(s_, options);
  return (result.cleared ? "cleared " : "kept ") + std::to_string(result.index) + " (clear " +
         std::to_string(result.clear_index) + ")";
}

std::string Ops::reclaim(Int limit) { return show(store().reclaim(s_, limit)); }

std::string Ops::prune(Int finished_before, Int limit) {
  return show(store().prune(s_, ms(finished_before), limit));
}

std::string Ops::delete_session(Int limit) { return show(store().delete_session(s_, limit)); }

std::string Ops::delete_consumer(std::string_view consumer, Int limit) {
  return show(store().delete_consumer(s_, consumer, limit));
}

std::string Ops::state() {
  std::string text = s_ + ": " + head() + "\n";
  for (const Event& event : store().read(s_)) text += show_full(event) + "\n";
  text += cursors();
  for (const Head& head : store().dead_letters(s_)) {
    text += "\ndead " + show_full(head.event) + " " + show(head);
  }
  return text + "\n";
}

Fixture::Fixture(const Harness& harness, const std::string& folder)
    : Ops([this]() -> Store& { return opened(); }, "s"),
      harness_(harness),
      uri_(harness.place(folder)),
      options_(harness.options) {
  options_.durability = Durability::kRelaxed;  // the same rules, in less time
  options_.clock = clock_;
  options_.ids = sequential_id_source();
}

Fixture::~Fixture() {
  store_.reset();
  if (harness_.remove) harness_.remove(uri_);
}

Store& Fixture::opened() {
  if (!store_) store_ = open();
  return *store_;
}

Ops Fixture::on(std::string session) {
  return Ops([this]() -> Store& { return opened(); }, std::move(session));
}

Ops Fixture::on(Store& store, std::string session) {
  return Ops([&store]() -> Store& { return store; }, std::move(session));
}

void Fixture::at(Int now) { clock_->set(now); }

void Fixture::use_real_time() {
  options_.clock = harness_.options.clock;
  options_.ids = harness_.options.ids;
}

Store Fixture::open() {
  return harness_.open ? harness_.open(uri_, options_) : pawl::open(uri_, options_);
}

void Fixture::reopen() {
  std::optional<Store> next;
  if (harness_.durable) {
    store_.reset();
  } else {
    opened();
    next = open();
  }
  store_ = next ? std::move(next) : open();
}

void Fixture::close() { opened().close(); }

std::string Fixture::ready(const ServedList& served, Int limit) {
  return show(store().ready({served.get(), limit}));
}

std::string Fixture::claim_ready(const ReadyArgs& args) {
  const ServedList served(args.served);
  return show(store().claim_ready({.holder = args.holder,
                                   .ttl = Duration(args.ttl),
                                   .consumers = served.get(),
                                   .max_failures = args.max_failures,
                                   .sessions_limit = args.sessions_limit,
                                   .limit = args.limit}));
}

std::string Fixture::sessions(const SessionsOptions& options) {
  std::string text;
  for (const SessionInfo& info : store().sessions(options)) {
    join(text, info.session + " " + std::to_string(info.last_index) + "/" +
                   std::to_string(info.clear_index));
  }
  return text;
}

std::string Fixture::presence(std::string_view name_space) {
  std::string text;
  for (const PresenceEntry& e : store().presence(name_space)) {
    std::string word = e.participant + "." + e.field + "=" + e.value + "@" +
                       std::to_string(ms(e.at)) + ".." + std::to_string(ms(e.expires_at));
    if (e.seen) word += "(" + std::to_string(*e.seen) + ")";
    join(text, word);
  }
  return text;
}

std::string Fixture::maintain(Int limit, MaybeInt finished_before) {
  MaintainOptions options{.limit = limit};
  if (finished_before) options.finished_before = ms(*finished_before);
  return show(store().maintain(options));
}

Int Fixture::maintain_all(Int limit, MaybeInt finished_before) {
  MaintainOptions options{.limit = limit};
  if (finished_before) options.finished_before = ms(*finished_before);
  Int deleted = 0;
  for (int call = 0; call < 10'000; ++call) {
    const DeletedResult result = store().maintain(options);
    deleted += result.deleted;
    if (result.done) return deleted;
  }
  ADD_FAILURE() << "maintain is never done";
  return deleted;
}

std::string Fixture::refused(const std::function<void()>& call, std::string_view names) {
  const std::string before = state();
  std::string text = "no error";
  try {
    call();
  } catch (const Error& error) {
    text = to_string(error.code());
    const std::string_view message = error.what();
    if (message.find(names) == std::string_view::npos) {
      text += ", but the message does not name " + std::string(names) + ": " + error.what();
    }
  }
  const std::string after = state();
  if (after != before) text += ", but from\n" + before + "it has become\n" + after;
  return text;
}

std::string Fixture::state() {
  std::string text;
  for (const SessionInfo& info : store().sessions()) text += on(info.session).state();
  return text + "ready: " + ready() + "\n";
}

void run_threads(int threads, const std::function<void(int)>& work) {
  std::barrier start(threads);
  std::vector<std::string> errors(static_cast<size_t>(threads));
  {
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        start.arrive_and_wait();
        try {
          work(i);
        } catch (const std::exception& error) {
          errors[static_cast<size_t>(i)] = error.what();
        }
      });
    }
  }
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

}  // namespace pawl::conformance
