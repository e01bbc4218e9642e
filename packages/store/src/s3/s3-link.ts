import type { S3Client } from '@aws-sdk/client-s3';
import type { StoreLink } from '../remote/store-link.ts';
import type { OpenedObject } from '../remote/verbs.ts';

/** The way to a store of S3. */
export interface S3Link extends StoreLink {
  client: S3Client;
}

/** An object as it was when it was opened. */
export interface S3Object extends OpenedObject {
  link: S3Link;
  bucket: string;
  /** As the store has it, with the prefix. */
  storeKey: string;
}
