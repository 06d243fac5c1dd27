// The C++ Verifier of FlatBuffers with the code that flatc generates, timed on request.
//
// A benchmark starts this program once and talks to it over its standard streams, so that rounds of
// different verifiers can be interleaved. Requests and answers are lines:
//
//   works                     -> works vortex.Layout vortex.Array ...
//   version                   -> version 25.12.19
//   run WORK ITERATIONS FILE  -> ok NANOSECONDS VERDICT
//   anything it cannot do     -> err REASON
//
// The verdict is 1 for a buffer that is accepted and 0 for one that is refused. A file is read once and
// kept.

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "generated/arrow_generated.h"
#include "generated/bench_generated.h"
#include "generated/flatgeobuf_generated.h"
#include "generated/tflite_generated.h"
#include "generated/vortex_generated.h"

namespace {

using Bytes = std::vector<uint8_t>;

// Verifies with the library's own defaults, as Verify...Buffer of generated code does. It is not inlined
// into the loop that times it, so that nothing can be carried from one iteration to the next.
template <typename T>
[[gnu::noinline]] bool Verify(const uint8_t* data, size_t size) {
  flatbuffers::Verifier verifier(data, size);
  return verifier.VerifyBuffer<T>(nullptr);
}

struct Work {
  const char* name;
  bool (*verify)(const uint8_t*, size_t);
};

const Work kWorks[] = {
    {"arrow.Footer", Verify<org::apache::arrow::flatbuf::Footer>},
    {"arrow.Message", Verify<org::apache::arrow::flatbuf::Message>},
    {"bench.Hier", Verify<bench::Hier>},
    {"bench.Texts", Verify<bench::Texts>},
    {"flatgeobuf.Feature", Verify<FlatGeobuf::Feature>},
    {"flatgeobuf.Header", Verify<FlatGeobuf::Header>},
    {"tflite.Model", Verify<tflite::Model>},
    {"vortex.Array", Verify<Array>},
    {"vortex.DType", Verify<DType>},
    {"vortex.Footer", Verify<Footer>},
    {"vortex.Layout", Verify<Layout>},
};

const Bytes& Load(const std::string& path) {
  static std::map<std::string, Bytes> files;
  auto found = files.find(path);
  if (found != files.end()) return found->second;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be opened");
  Bytes bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) throw std::runtime_error(path + ": cannot be read");
  return files.emplace(path, std::move(bytes)).first->second;
}

std::string Run(std::istringstream& request) {
  std::string name, path;
  uint64_t iterations = 0;
  if (!(request >> name >> iterations) || request.get() != ' ' || !std::getline(request, path)) {
    throw std::runtime_error("run wants WORK ITERATIONS FILE");
  }
  const Work* work = nullptr;
  for (const Work& w : kWorks) {
    if (name == w.name) work = &w;
  }
  if (work == nullptr) throw std::runtime_error("no work " + name);
  const Bytes& bytes = Load(path);

  uint64_t accepted = 0;
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < iterations; i++) {
    asm volatile("" ::: "memory");  // the bytes may have changed, for all the compiler knows
    accepted += work->verify(bytes.data(), bytes.size());
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  if (accepted != 0 && accepted != iterations) throw std::runtime_error("the verdict changed between iterations");

  std::ostringstream answer;
  answer << "ok " << std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count() << ' ' << (accepted > 0);
  return answer.str();
}

std::string Answer(const std::string& line) {
  std::istringstream request(line);
  std::string verb;
  request >> verb;
  if (verb == "works") {
    std::string answer = "works";
    for (const Work& w : kWorks) answer += std::string(" ") + w.name;
    return answer;
  }
  if (verb == "version") {
    std::ostringstream answer;
    answer << "version " << FLATBUFFERS_VERSION_MAJOR << '.' << FLATBUFFERS_VERSION_MINOR << '.' << FLATBUFFERS_VERSION_REVISION;
    return answer.str();
  }
  if (verb == "run") return Run(request);
  throw std::runtime_error("want works, version or run");
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      answer = Answer(line);
    } catch (const std::exception& e) {
      answer = std::string("err ") + e.what();
    }
    std::cout << answer << std::endl;
  }
}
