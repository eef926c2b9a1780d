// What holds for every transcript and every options, read off the input and the result alone.
#ifndef PROMISES_HPP
#define PROMISES_HPP

#include "tn_compactor.hpp"

#include <string_view>

// Compacts the transcript in every way that the interface offers, and throws a check::failure that shows it where they disagree
// or a promise is broken. Returns what became of the plan.
tn::outcome keeps_every_promise(std::string_view transcript, const tn::options &options, std::string_view summary);

#endif
