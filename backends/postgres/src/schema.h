// The layout: tables of one schema, whose name is an option of the store.
//
//   session   (name): one row per session that ever had an event
//   event     (session, idx)
//   cursor    (session, era, consumer, slot, lane); slot: an event cursor's index, else 0
//   work      (session, consumer, kind, lane, idx): queued lane entries and finished work
//   ready     (session, consumer): first keys
//   snapshot  (session, era, reducer, idx)
//   pin       (session, era, consumer, slot, lane, head, reducer, snapshot)
//   presence  (ns, participant, field)
//   layout    one row: the version of all this
//
// "No lane" is the empty text, and the slot (the kind, in `work`) comes before the lane in every
// key: so what has no lane follows what has one, as in the contract's order. A `due` of "never",
// a `failed_at` of an undead and a `finished_at` of unfinished work are NULL, so that the partial
// indexes over them hold only what their readers look for.
//
//   cursor_due    claimable heads in the order in which claim takes them; first keys
//   cursor_dead   dead letters in the order of their listing
//   cursor_log    a log cursor has one row, whatever its era
//   ready_due     sessions in the order of waiting; `since` is 0 there unless due = 0
//   session_*     what a listing and the upkeep look for
//
// Text is COLLATE "C": compared by its bytes, whatever the database's locale. JSON is text, which
// keeps every byte. The session leads every key, so that it can be a distribution column. The
// widest key holds four names of 512 bytes, within the 2,704 bytes that an index entry may have.
#pragma once

#include <string>
#include <vector>

namespace pawl::postgres {

inline constexpr int kLayout = 3;

// The statements that make the layout in an empty schema; '@' stands for the schema and a dot.
std::vector<std::string> layout_statements();

}  // namespace pawl::postgres
