import type { S3Client } from '@aws-sdk/client-s3';
import { foreignAnswer, isForeign } from '../remote/foreign-answer.ts';

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
      const { statusCode: status, headers, body } = answer.response as RawAnswer;
      const contentType = headers['content-type'];
      const requestId = headers['x-amz-request-id'];
      if (!isForeign({ status, contentType, etag: headers.etag, requestId })) return answer;
      body?.resume?.();
      throw Object.assign(foreignAnswer(), { $retryable: {} });
    },
    { step: 'deserialize', name: 'refusePages', priority: 'low' },
  );
}
