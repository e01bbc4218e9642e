import { isIPv6 } from 'node:net';

/** What counts as one caller: an IPv4 address, or the /64 network that one subscriber has in IPv6. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1]!;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('%')[0]!.split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const first = groupsOf(head);
  // An IPv4 address at the end stands for two groups.
  const last = groupsOf(tail).flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  const network = [...first, ...zeros, ...last].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
