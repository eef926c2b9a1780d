// Transcripts made up at random, in every dialect, with the shapes on which compaction goes wrong in the field.
#ifndef GENERATE_HPP
#define GENERATE_HPP

#include <cstdint>
#include <string>

// The transcript of this number. It depends on the number alone, on every machine.
std::string generated_transcript(std::uint64_t number);

// A transcript of a coding agent of about so many bytes, in English and Chinese and with emoji; no two numbers give the same.
std::string long_transcript(std::size_t bytes, std::uint64_t number);

#endif
