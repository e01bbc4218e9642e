import { MemberDamaged } from '../member-damaged.ts';

/** Thrown for bytes of a member index that are not what was written. Read once more, they may be. */
export class IndexDamaged extends MemberDamaged {
  /** `found`: what was found and what was expected. */
  constructor(found: string) {
    super('CRC_MISMATCH', 'the member index', found);
    this.name = 'IndexDamaged';
  }
}
