// Opening stores for random histories and vectors.
#include "model/store_party.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "harness/scratch.h"
#include "pawl/clock.h"
#include "pawl/jsonl.h"
#include "pawl/open.h"

namespace pawl::model {
namespace {

using Options = std::map<std::string, std::string>;

// Members are destroyed from the last to the first: the store before its folder.
class OpenedStore {
 public:
  OpenedStore(const StorePlace& place, const Options& more)
      : clock_(std::make_shared<ManualClock>()),
        uri_(uri_of(place)),
        store_(pawl::open(uri_, options_of(place, more))),
        lines_(store_, clock_) {}

  std::string answer(std::string_view line) { return lines_.answer(line); }

 private:
  std::string uri_of(const StorePlace& place) {
    const std::size_t colon = place.uri.find(':');
    if (colon == std::string::npos) throw std::invalid_argument("a store is SCHEME:FOLDER");
    if (place.uri.starts_with("memory:")) return "memory:";
    folder_.emplace(is_server(place) ? "" : place.uri.substr(colon + 1));
    if (is_server(place)) return place.uri;
    return place.uri.substr(0, colon) + ":" + folder_->folder() + "/store";
  }

  static bool is_server(const StorePlace& place) { return place.uri.starts_with("postgres"); }

  OpenOptions options_of(const StorePlace& place, const Options& more) {
    OpenOptions options;
    for (const Options* given : {&place.options, &more}) {
      for (const auto& [name, value] : *given) options.set(name, value);
    }
    if (is_server(place)) {
      options.set("schema", std::filesystem::path(folder_->folder()).filename().string());
    }
    options.clock = clock_;
    options.ids = sequential_id_source();
    return options;
  }

  std::optional<conformance::Scratch> folder_;
  std::shared_ptr<ManualClock> clock_;
  std::string uri_;
  Store store_;
  JsonLines lines_;
};

}  // namespace

LinePartyFactory store_line_party(const StorePlace& place) {
  return [place](const Options& options) {
    return [store = std::make_shared<OpenedStore>(place, options)](std::string_view line) {
      return store->answer(line);
    };
  };
}

PartyFactory store_party(const StorePlace& place) {
  return [open = store_line_party(place)] { return from_lines(open({})); };
}

}  // namespace pawl::model
