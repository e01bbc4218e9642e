export type MemberDamage =
  /** No local header where the directory says. */
  | 'NO_LOCAL_HEADER'
  /** The local header contradicts the directory. */
  | 'HEADERS_DISAGREE'
  /** The data runs into the next member or the directory. */
  | 'OVERLAPS'
  /** The declared size is above the caller's limit. */
  | 'TOO_LARGE'
  /** The declared size is above the caller's limit for the ratio to the compressed size. */
  | 'RATIO_TOO_HIGH'
  /** More comes out than declared; reading stops there. */
  | 'INFLATES_TOO_FAR'
  /** The data is complete but less comes out than declared. */
  | 'INFLATES_SHORT'
  /** The compressed data ends in the middle. */
  | 'TRUNCATED'
  /** Not deflate, or bytes are left behind its end. */
  | 'BAD_DEFLATE'
  /** All bytes came, but they are not those that were packed. */
  | 'CRC_MISMATCH';

/** Thrown for a member whose data cannot be used; other members of the zip are not concerned. */
export class MemberDamaged extends Error {
  readonly code: MemberDamage;
  readonly member: string;

  /** `found` is a full sentence: what was found and what was expected. */
  constructor(code: MemberDamage, member: string, found: string, options?: { cause?: unknown }) {
    super(`${member}: ${found}`, options);
    this.name = 'MemberDamaged';
    this.code = code;
    this.member = member;
  }
}
