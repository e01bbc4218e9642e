/** Which members of a zip are kept: the rules, one after the other. */

import {
  decodeName,
  isJunk,
  MAX_NAME_BYTES,
  nameFault,
  normaliseName,
  printableName,
} from '../member-name.ts';
import {
  DEFLATED,
  FLAG_ENCRYPTED,
  FLAG_MASKED_HEADERS,
  FLAG_STRONG_ENCRYPTION,
  STORED,
} from '../zip-format.ts';
import { type CentralRecord, madeOnUnix } from './central-record.ts';
import { ZIP_ISSUES, type ZipIssueCode, type ZipIssueList } from './zip-issues.ts';

/** File types in the upper bits of a Unix mode. */
const S_IFMT = 0xf000;
const S_IFLNK = 0xa000;
const S_IFREG = 0x8000;
const S_IFDIR = 0x4000;
/** FILE_ATTRIBUTE_REPARSE_POINT of Windows, in the lower half of the external attributes. */
const REPARSE_POINT = 0x400;

/** Methods that are met in practice, for messages (APPNOTE 4.4.5). */
const METHOD_NAMES: Record<number, string> = {
  1: ' (shrink)',
  6: ' (implode)',
  9: ' (Deflate64, which Windows uses for files over 2 GB)',
  12: ' (bzip2)',
  14: ' (LZMA)',
  93: ' (Zstandard)',
  95: ' (XZ)',
  98: ' (PPMd)',
  99: ' (AES encryption)',
};

/**
 * The decoded, normalised name of a member that may be kept. Otherwise null, and the reason is among the issues
 * (silently for `./`, the package's own directory).
 */
export function acceptedName(record: CentralRecord, window: Buffer, issues: ZipIssueList): string | null {
  const stored = window.subarray(record.nameStart, record.nameEnd);
  const decoded = decodeName({
    record: window,
    start: record.nameStart,
    end: record.nameEnd,
    extraEnd: record.extraEnd,
    flags: record.flags,
    host: record.host,
  });
  const shown = printableName(decoded ?? stored.toString('latin1'));
  const leaveOut = (code: ZipIssueCode, found?: string) => {
    const meaning = ZIP_ISSUES[code].meaning;
    issues.add(code, shown, `"${shown}" is left out. ${meaning}${found === undefined ? '' : ` ${found}`}`);
    return null;
  };
  if (stored.length > MAX_NAME_BYTES) return leaveOut('MEMBER_NAME_TOO_LONG', `It has ${stored.length}.`);
  if (decoded === null)
    return leaveOut('MEMBER_NAME_UNREADABLE', `Its bytes are ${stored.toString('hex', 0, 40)}.`);
  const fault = nameFault(decoded);
  if (fault !== null) return leaveOut(fault);
  const name = normaliseName(decoded);
  if (name === '') return null;
  if (isJunk(name)) return leaveOut('MEMBER_JUNK');

  const fileType = (record.attributes >>> 16) & S_IFMT;
  if (fileType === S_IFLNK || (fileType === 0 && (record.attributes & REPARSE_POINT) !== 0)) {
    return leaveOut('MEMBER_SYMLINK');
  }
  if (madeOnUnix(record) && fileType !== 0 && fileType !== S_IFREG && fileType !== S_IFDIR) {
    return leaveOut('MEMBER_SPECIAL_FILE', `Its Unix mode is 0${(record.attributes >>> 16).toString(8)}.`);
  }
  if ((record.flags & (FLAG_ENCRYPTED | FLAG_STRONG_ENCRYPTION | FLAG_MASKED_HEADERS)) !== 0) {
    return leaveOut('MEMBER_ENCRYPTED');
  }
  if (record.method !== STORED && record.method !== DEFLATED) {
    return leaveOut(
      'MEMBER_METHOD_UNSUPPORTED',
      `Its method is ${record.method}${METHOD_NAMES[record.method] ?? ''}.`,
    );
  }
  const directory = name.endsWith('/');
  if (
    (directory && record.size !== 0) ||
    (record.method === STORED && record.size !== record.compressedSize)
  ) {
    return leaveOut('MEMBER_SIZES_DISAGREE', `They are ${record.compressedSize} and ${record.size}.`);
  }
  return name;
}
