// Where a store is: the path made absolute, its file made or recognised.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "connection.h"

namespace pawl::sqlite {

struct Place {
  std::string file;  // absolute, without symbolic links
  std::string lock_file;
  bool exists = false;
  mode_t mode = 0600;  // of the file, or of what is to be made
};

// Touches nothing. kNotConfigured where there can be no store.
Place find_place(std::string_view path);

// Makes an empty file with the place's permissions, whatever the umask. Whoever calls holds the
// lock: a descriptor of one's own, when closed, drops the locks of other connections.
void create_file(const Place& place);

// Throws kNotConfigured, before anything is touched, if a file that no store has locked yet
// belongs to something else.
void refuse_foreign(const Place& place);

// Throws kNotConfigured, before anything is touched, if this user may not write one of the store's
// files, or may not make one that is missing.
void refuse_unwritable(const Place& place);

// Lays an empty file out, or makes sure that it is a store of a known layout. Under the lock.
// Leaves it in WAL mode.
void prepare_file(Connection& connection, std::int64_t busy_timeout_ms);

}  // namespace pawl::sqlite
