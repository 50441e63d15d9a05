// SPDX-License-Identifier: MIT
// A plugin of qemu that counts the instructions of a program and prints their number. The declarations are those of
// qemu-plugin.h, version 1 of its interface, which Debian does not package.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PUBLIC __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum operation { ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*translate)(plugin_id, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block, enum operation what, void* to, uint64_t by);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*leave)(plugin_id, void*), void* data);
void qemu_plugin_outs(const char* text);

PUBLIC int qemu_plugin_version = 1;
static uint64_t count;

static void add_block(plugin_id id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, &count, qemu_plugin_tb_n_insns(block));
}

static void print_count(plugin_id id, void* data) {
  char line[32];
  (void)id;
  (void)data;
  snprintf(line, sizeof line, "%" PRIu64 "\n", count);
  qemu_plugin_outs(line);
}

PUBLIC int qemu_plugin_install(plugin_id id, const void* info, int count_of_arguments, char** arguments) {
  (void)info;
  (void)count_of_arguments;
  (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, add_block);
  qemu_plugin_register_atexit_cb(id, print_count, NULL);
  return 0;
}
