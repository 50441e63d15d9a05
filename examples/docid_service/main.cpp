// docid_service: gives each arriving article the id of the document that it is a version of.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>

#include "decide/service.hpp"
#include "describe/recipe.hpp"
#include "http/http.hpp"
#include "line/options.hpp"
#include "stores/open.hpp"

namespace {

std::string counted(std::uint64_t documents) {
  return std::to_string(documents) + (documents == 1 ? " document" : " documents");
}

int serve(const docid::settings& all) {
  // The signals are blocked before any thread starts, so that only the thread below receives them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // The limit of open files is raised, because each connection is an open file, and the usual limit is 1,024.
  if (rlimit files{}; getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }

  // open_stores() marks a new store with the recipe, so steps that can fail come before it.
  docid::make_describers(all.cascade.recipe, all.cascade.jieba);
  docid::http_server server(all.http);
  const int port = server.bind();
  const docid::opened_stores kept = docid::open_stores(
      all.stores, {all.cascade.title.distance, all.cascade.content.distance}, docid::composition_of(all.cascade));
  docid::service articles(all.cascade, *kept.titles, *kept.bodies, *kept.mapping, *kept.contents);
  std::cout << "docid_service: http://" << all.http.address << ':' << port << "/  "
            << counted(articles.counts().documents) << " in " << kept.place << std::endl;
  if (!all.may_miss.empty()) {
    std::cerr << "docid_service: " << all.may_miss << ", so that similar ones can be missed" << std::endl;
  }
  std::thread waiting([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    server.stop();
  });
  server.run(articles);
  kill(getpid(), SIGTERM);  // wakes the waiting thread if no signal has come
  waiting.join();
  articles.stop();
  std::cout << "docid_service: stopped, " << counted(articles.counts().documents) << std::endl;
  return EXIT_SUCCESS;
}

}  // namespace

int main(int count, char** words) {
  try {
    return serve(docid::settings_of(count, words));
  } catch (const std::exception& error) {
    std::cerr << "docid_service: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
