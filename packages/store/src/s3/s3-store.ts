import type { ObjectStore } from '../object-store.ts';
import { RemoteStore } from '../remote/remote-store.ts';
import type { StoreTimes } from '../remote/store-link.ts';
import type { S3Address } from './s3-address.ts';
import { openLink } from './s3-client.ts';
import { S3Verbs } from './s3-verbs.ts';

/** Objects of a bucket of S3, or of a store that speaks like it, below a prefix. */
export class S3Store extends RemoteStore {
  declare readonly abortUploads: NonNullable<ObjectStore['abortUploads']>;
  declare readonly sign: NonNullable<ObjectStore['sign']>;

  /** Nothing is asked of the store yet. */
  constructor(address: S3Address, times?: StoreTimes) {
    const link = openLink(address, times);
    super(link, new S3Verbs(link, address));
  }
}
