import type { Issue, IssueSeverity } from '@citymodel/base';

/**
 * Every issue that reading a zip's directory can report. `error`: the member is left out; `warning`: it is
 * kept; `info`: left out, and nobody misses it.
 */
export const ZIP_ISSUES = {
  ZIP_PREFIXED: { severity: 'info', meaning: 'Bytes that belong to no member precede the zip.' },
  MEMBER_NAME_EMPTY: { severity: 'error', meaning: 'The member has no name.' },
  MEMBER_NAME_TOO_LONG: { severity: 'error', meaning: 'The name is longer than 1,000 bytes.' },
  MEMBER_NAME_UNREADABLE: { severity: 'error', meaning: 'The name is neither UTF-8 nor Shift_JIS.' },
  MEMBER_NAME_ABSOLUTE: { severity: 'error', meaning: 'The name is an absolute path.' },
  MEMBER_NAME_DRIVE: { severity: 'error', meaning: 'The name begins with a drive letter.' },
  MEMBER_NAME_PARENT: { severity: 'error', meaning: 'The name leads out of the package with `..`.' },
  MEMBER_NAME_CONTROL: { severity: 'error', meaning: 'The name holds a NUL or another control character.' },
  MEMBER_NAME_BACKSLASH: {
    severity: 'error',
    meaning: 'The name holds a backslash that is not a separator written by a DOS or Windows program.',
  },
  MEMBER_SYMLINK: { severity: 'error', meaning: 'The member is a symbolic link.' },
  MEMBER_SPECIAL_FILE: { severity: 'error', meaning: 'The member is a device, pipe or socket.' },
  MEMBER_DUPLICATE: { severity: 'error', meaning: 'An earlier member has the same name.' },
  MEMBER_NAME_SIMILAR: {
    severity: 'warning',
    meaning: 'An earlier member has the same name but for letter case or Unicode form.',
  },
  MEMBER_ENCRYPTED: { severity: 'error', meaning: 'The member is encrypted.' },
  MEMBER_METHOD_UNSUPPORTED: {
    severity: 'error',
    meaning: 'The member is compressed by a method other than stored and deflate.',
  },
  MEMBER_SIZES_DISAGREE: {
    severity: 'error',
    meaning: 'The member is stored, yet its two sizes differ, or a directory has content.',
  },
  MEMBER_JUNK: { severity: 'info', meaning: 'A file that a desktop system leaves behind.' },
} as const satisfies Record<string, { severity: IssueSeverity; meaning: string }>;

export type ZipIssueCode = keyof typeof ZIP_ISSUES;

/** How many issues of one code are listed one by one. */
const LISTED_PER_CODE = 100;

/** Collects issues and keeps their number bounded: beyond 100 of a code they are only counted. */
export class ZipIssueList {
  readonly #listed: Issue[] = [];
  readonly #counts = new Map<ZipIssueCode, number>();

  add(code: ZipIssueCode, member: string | null, message: string): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= LISTED_PER_CODE) {
      this.#listed.push({ code, severity: ZIP_ISSUES[code].severity, message, member });
    }
  }

  /** All issues, followed by one for each code that had more than could be listed. */
  finish(): Issue[] {
    for (const [code, count] of this.#counts) {
      if (count <= LISTED_PER_CODE) continue;
      this.#listed.push({
        code,
        severity: ZIP_ISSUES[code].severity,
        message: `${count - LISTED_PER_CODE} further members have the same defect. ${ZIP_ISSUES[code].meaning}`,
        member: null,
      });
    }
    return this.#listed;
  }
}
