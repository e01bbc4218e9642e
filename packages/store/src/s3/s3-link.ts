import type { S3Client } from '@aws-sdk/client-s3';
import type { ConcurrencyLimit } from '@citymodel/base';
import type { LinkEnd } from './link-end.ts';
import type { RequestFigures } from './request-figures.ts';
import type { StoreGate } from './store-gate.ts';

/** How long the store may take, ms. */
export interface S3Times {
  /** Until a connection stands. */
  connect: number;
  /** Until an answer begins, and between any two pieces of it. */
  answer: number;
}

/** The way to a store: a client, and a limit of what is asked of it at once. */
export interface S3Link {
  client: S3Client;
  /** Work enters before it asks, and leaves when it has the whole answer: in the SDK's own queue its time would run. */
  limit: ConcurrencyLimit;
  gate: StoreGate;
  end: LinkEnd;
  figures: RequestFigures;
  times: S3Times;
}

/** An object as it was when it was opened. */
export interface S3Object {
  link: S3Link;
  bucket: string;
  /** As the store has it, with the prefix. */
  storeKey: string;
  /** As callers know it. */
  key: string;
  /** As the store gave it, with its quotes. */
  etag: string;
  /** Bytes. */
  size: number;
}
