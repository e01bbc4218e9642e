/**
 * Names of zip members: decoding what programs have written over the decades, and telling which names are safe.
 */
import { crc32 } from 'node:zlib';
import { EXTRA_UNICODE_PATH, FLAG_UTF8, findExtra } from './zip-format.ts';

/** Longest name that is accepted, bytes as stored. */
export const MAX_NAME_BYTES = 1_000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** By the Encoding Standard this is CP932: Shift_JIS with the NEC and IBM rows. */
const shiftJis = new TextDecoder('shift_jis', { fatal: true, ignoreBOM: true });

/** Hosts (4.4.2, upper byte of "version made by") where a backslash separates: FAT, HPFS, NTFS, VFAT. */
const BACKSLASH_HOSTS = new Set([0, 6, 10, 14]);

function tryDecode(decoder: typeof utf8, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Where a name lies in a record, with its extra fields behind it. */
export interface StoredName {
  record: Buffer;
  start: number;
  end: number;
  /** The extra fields, from `end` to here. */
  extraEnd: number;
  /** General purpose bits. */
  flags: number;
  /** Upper byte of "version made by". */
  host: number;
}

/**
 * Decodes a member's name, or returns null when it cannot be read. In this order: UTF-8 when flagged
 * (APPNOTE 4.4.4, bit 11); Info-ZIP's Unicode path (4.6.9) when its CRC shows that it belongs to this name;
 * UTF-8 when the bytes are valid UTF-8, as many programs write it unflagged; Shift_JIS, as Japanese Windows
 * writes it. Backslashes become `/` only when the name has no `/` and comes from DOS or Windows, and only
 * after decoding: the second byte of 表, ソ and 能 in Shift_JIS is 0x5C too.
 */
export function decodeName(stored: StoredName): string | null {
  const bytes = stored.record.subarray(stored.start, stored.end);
  const text = decodeText(stored, bytes);
  if (text?.includes('\\') && !text.includes('/') && BACKSLASH_HOSTS.has(stored.host)) {
    return text.replaceAll('\\', '/');
  }
  return text;
}

function decodeText(stored: StoredName, bytes: Buffer): string | null {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if ((stored.flags & FLAG_UTF8) !== 0) return tryDecode(utf8, bytes);
  return unicodePath(stored, bytes) ?? tryDecode(utf8, bytes) ?? tryDecode(shiftJis, bytes);
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if ((bytes[i] as number) > 0x7f) return false;
  return true;
}

/** Info-ZIP Unicode Path: version 1, CRC-32 of the stored name, UTF-8 name. */
function unicodePath(stored: StoredName, bytes: Uint8Array): string | null {
  const { record } = stored;
  const field = findExtra(record, stored.end, stored.extraEnd, EXTRA_UNICODE_PATH);
  if (field === null || field.end - field.start < 6 || record[field.start] !== 1) return null;
  if (record.readUInt32LE(field.start + 1) !== crc32(bytes)) return null;
  return tryDecode(utf8, record.subarray(field.start + 5, field.end));
}

/** Removes empty and `.` segments: `./udx//a.gml` is `udx/a.gml`. A `/` at the end, the mark of a directory, stays. */
export function normaliseName(name: string): string {
  if (!/(^|\/)\.?(\/|$)/.test(name)) return name;
  const segments = name.split('/');
  const kept = segments.filter((segment) => segment !== '' && segment !== '.');
  const last = segments.at(-1);
  return kept.length > 0 && (last === '' || last === '.') ? `${kept.join('/')}/` : kept.join('/');
}

export type NameFault =
  | 'MEMBER_NAME_EMPTY'
  | 'MEMBER_NAME_ABSOLUTE'
  | 'MEMBER_NAME_DRIVE'
  | 'MEMBER_NAME_PARENT'
  | 'MEMBER_NAME_CONTROL'
  | 'MEMBER_NAME_BACKSLASH';

/** What makes a decoded name dangerous to a program that unpacks it, or null. Both slashes count as separators here. */
export function nameFault(name: string): NameFault | null {
  if (name === '') return 'MEMBER_NAME_EMPTY';
  if (/\p{Cc}/u.test(name)) return 'MEMBER_NAME_CONTROL';
  if (/^[/\\]/.test(name)) return 'MEMBER_NAME_ABSOLUTE';
  if (/^[A-Za-z]:/.test(name)) return 'MEMBER_NAME_DRIVE';
  if (/(^|[/\\])\.\.([/\\]|$)/.test(name)) return 'MEMBER_NAME_PARENT';
  if (name.includes('\\')) return 'MEMBER_NAME_BACKSLASH';
  return null;
}

/** Thrown for a name that must not be written into a zip. */
export class InvalidMemberName extends Error {
  readonly code: NameFault | 'MEMBER_NAME_TOO_LONG' | 'MEMBER_NAME_UNREADABLE' | 'MEMBER_DUPLICATE';
  readonly memberName: string;

  constructor(code: InvalidMemberName['code'], memberName: string) {
    super(`the name "${printableName(memberName)}" cannot be written into a zip: ${code}`);
    this.name = 'InvalidMemberName';
    this.code = code;
    this.memberName = memberName;
  }
}

/**
 * The UTF-8 bytes of a file's name that is about to be written. Throws InvalidMemberName unless it is a relative path
 * of at most 65,535 bytes. It must not have empty, `.` or `..` segments, backslashes, control characters, a drive
 * letter or halves of surrogate pairs.
 */
export function encodeName(name: string): Buffer {
  const fault = nameFault(name);
  if (fault !== null) throw new InvalidMemberName(fault, name);
  if (name.endsWith('/') || normaliseName(name) !== name)
    throw new InvalidMemberName('MEMBER_NAME_EMPTY', name);
  if (!name.isWellFormed()) throw new InvalidMemberName('MEMBER_NAME_UNREADABLE', name);
  const bytes = Buffer.from(name, 'utf8');
  if (bytes.length > 0xffff) throw new InvalidMemberName('MEMBER_NAME_TOO_LONG', name);
  return bytes;
}

/** The form in which names that a file system without letter case takes for one are equal. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** A name for messages and databases: control characters as `\xNN`, at most 200 characters. */
export function printableName(name: string): string {
  const cut = name.length > 200 ? `${name.slice(0, 199).toWellFormed()}…` : name;
  return cut.replace(/\p{Cc}/gu, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Files that desktop systems leave in folders and that nobody means to publish. */
export function isJunk(name: string): boolean {
  return /(^|\/)(__MACOSX(\/|$)|(\.DS_Store|Thumbs\.db|desktop\.ini)$)/i.test(name);
}
