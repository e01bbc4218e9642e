/** How a store is asked: through its gate, at its places, and within the patience of the answer that it is for. */
import type { HeadBucketCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { traced, waitPatiently } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import type { RequestFigure } from '../store-figures.ts';
import { statusOf } from './s3-errors.ts';
import type { S3Link } from './s3-link.ts';

/** Until an answer begins, where somebody waits for it: another connection may do better, ms. */
export const TRY_MS = 7_000;

/** What goes along with a request. */
export interface AskOptions {
  abortSignal?: AbortSignal;
  /** Until an answer begins, ms. */
  requestTimeout?: number;
}

/**
 * Asks when there is a place; `work` has the whole answer when it resolves. Rejects as it does, with StoreUnavailable at once
 * while the store is known not to answer, with OutOfPatience.
 */
export function ask<T>(link: S3Link, work: (options: AskOptions) => Promise<T>): Promise<T> {
  return askAside(link, (options) =>
    link.limit.run(async () => {
      // Both may have changed while it waited for a place.
      options.abortSignal?.throwIfAborted();
      link.end.check();
      link.gate.check();
      return work(options);
    }),
  );
}

/** As `ask`, without a place: for streams, each of which lasts as long as its consumer takes. */
export function askAside<T>(link: S3Link, work: (options: AskOptions) => Promise<T>): Promise<T> {
  return waitPatiently(async (signal) => {
    link.end.check();
    link.gate.check();
    return work(
      signal === undefined
        ? {}
        : { abortSignal: signal, requestTimeout: Math.min(TRY_MS, link.times.answer) },
    );
  });
}

/** Asks for the bucket once, within a time, ms. Any answer but one of a fault is one. Rejects as the SDK does. */
export async function lookAt(client: S3Client, bucket: string, ms: number): Promise<HeadBucketCommandOutput> {
  return client.send(new HeadBucketCommand({ Bucket: bucket }), {
    abortSignal: AbortSignal.timeout(ms),
    requestTimeout: ms,
  });
}

/** Tells of each try of a client, those that the SDK repeats too. */
export function watchTries({
  client,
  gate,
  end: linkEnd,
  figures,
}: Pick<S3Link, 'client' | 'gate' | 'end' | 'figures'>): void {
  client.middlewareStack.add(
    (next, { commandName = 'Other' }) =>
      async (args) => {
        const begun = performance.now();
        const end = (outcome: RequestFigure['outcome']) =>
          figures.note(commandName.replace(/Command$/, ''), outcome, performance.now() - begun);
        try {
          const answer = await traced(
            `S3 ${commandName}`,
            () => ({}),
            () => linkEnd.before(() => next(args)),
          );
          gate.answered();
          end('ok');
          return answer;
        } catch (error) {
          if (error instanceof StoreUnavailable) throw error;
          const status = statusOf(error) ?? (error as Unread).$response?.statusCode;
          if (status === undefined) gate.failed(begun);
          else if (status < 500) gate.answered();
          end(status === undefined ? 'unanswered' : status < 500 ? 'refused' : 'failed');
          throw error;
        }
      },
    { step: 'deserialize', name: 'watchTries', priority: 'high' },
  );
}

/** An answer that the SDK could not read, such as a page of a proxy. */
interface Unread {
  $response?: { statusCode?: number };
}
