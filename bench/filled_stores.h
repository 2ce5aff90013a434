// filled_stores.h: stores that are filled once and measured often.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "pawl/store.h"
#include "place.h"

namespace pawl::bench {

// They and their places are removed with it.
class FilledStores {
 public:
  // Opens a store in this folder, and fills it.
  using Fill = std::function<std::unique_ptr<Store>(const std::string& folder)>;

  FilledStores() = default;
  ~FilledStores() {
    for (auto& [key, place] : places_) {
      place.store.reset();
      remove_folder(place.folder);
    }
  }
  FilledStores(const FilledStores&) = delete;
  FilledStores& operator=(const FilledStores&) = delete;

  Store& get(const std::string& key, const Fill& fill) {
    Place& place = places_[key];
    if (place.store) return *place.store;
    place.folder = make_folder();
    place.store = fill(place.folder);
    return *place.store;
  }

 private:
  struct Place {
    std::string folder;
    std::unique_ptr<Store> store;
  };
  std::map<std::string, Place> places_;
};

// Durability is not what is measured in them.
inline std::unique_ptr<Store> open_relaxed(const std::string& scheme, const std::string& folder) {
  OpenOptions options;
  options.durability = Durability::kRelaxed;
  return std::make_unique<Store>(open_store(scheme, folder, options));
}

}  // namespace pawl::bench
