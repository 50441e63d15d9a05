/* Replacements for functions that the static libraries of Debian 12 call, but that neither glibc 2.28 nor another static
 * library of Debian has. tools/release links the command for a release with this file. GLib calls libmount to list the
 * mounts of a system, and the resolver to look up names in the DNS; the command needs neither. GLib and GPGME call the
 * other functions to start programs. */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

char __libc_single_threaded = 0; /* 0 is always right: it means that there may be threads */

int close_range(unsigned first, unsigned last, int flags) { /* GLib then closes files one by one */
  (void)first;
  (void)last;
  (void)flags;
  errno = ENOSYS;
  return -1;
}

void closefrom(int first) {
  const long limit = sysconf(_SC_OPEN_MAX);
  for (long i = first; i < (limit < 0 ? 1024 : limit); ++i) close((int)i);
}

/* libmount: nothing is found. Its functions take and return pointers and integers. */
void* mnt_new_table(void) { return NULL; }
void* mnt_new_iter(void) { return NULL; }
void mnt_free_table(void) {}
void mnt_free_iter(void) {}
int mnt_table_parse_mtab(void) { return -ENOENT; }
int mnt_table_parse_fstab(void) { return -ENOENT; }
int mnt_table_next_fs(void) { return -ENOENT; }
int mnt_has_regular_mtab(void) { return 0; }
int mnt_optstr_get_flags(void) { return -ENOENT; }
const void* mnt_get_builtin_optmap(void) { return NULL; }
const char* mnt_get_fstab_path(void) { return "/etc/fstab"; }
const char* mnt_fs_get_target(void) { return NULL; }
const char* mnt_fs_get_source(void) { return NULL; }
const char* mnt_fs_get_root(void) { return NULL; }
const char* mnt_fs_get_options(void) { return NULL; }
const char* mnt_fs_get_fstype(void) { return NULL; }
char* mnt_fs_strdup_options(void) { return NULL; }

/* The resolver: no answer. */
int res_nquery(void) { return -1; }
int dn_expand(void) { return -1; }
