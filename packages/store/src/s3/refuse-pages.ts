import type { S3Client } from '@aws-sdk/client-s3';
import { FOREIGN_ANSWER } from './s3-errors.ts';

interface RawAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body?: { resume?(): void };
}

/** Takes no page of another program for an answer of the store: the SDK asks again, and rejects with FOREIGN_ANSWER. */
export function refusePages(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      const response = answer.response as RawAnswer;
      if (!isPage(response)) return answer;
      response.body?.resume?.();
      throw Object.assign(new Error('the answer is a page'), { name: FOREIGN_ANSWER, $retryable: {} });
    },
    { step: 'deserialize', name: 'refusePages', priority: 'low' },
  );
}

/**
 * Whether a page came that another program made, such as a proxy or a login: its 404 does not mean that an object is
 * gone, nor its 200 that one is empty. Objects are never stored as pages, and a store that calls its empty answers so
 * gives the id of the request. Faults from 500 on are the SDK's to judge.
 */
function isPage({ statusCode, headers }: RawAnswer): boolean {
  return (
    statusCode < 500 &&
    /^text\/html\b/i.test(headers['content-type'] ?? '') &&
    headers['x-amz-request-id'] === undefined &&
    headers.etag === undefined
  );
}
