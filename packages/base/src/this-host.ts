import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Where numbers of processes mean something: `{host name}#{hash}`. The hash is of the system's boot and of the
 * namespace of processes. It tells containers apart, machines of one name, and a machine before and after it was
 * started anew.
 */
export const THIS_HOST = `${hostname()}#${scope()}`;

function scope(): string {
  const facts = [
    () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'),
    () => readlinkSync('/proc/self/ns/pid'),
  ];
  const hash = createHash('sha256');
  for (const fact of facts) {
    try {
      hash.update(fact());
    } catch {
      // Other systems than Linux have neither; there the name of the host is all there is.
    }
  }
  return hash.digest('hex').slice(0, 8);
}
