/** Answers that another program gives in place of a store: a proxy, a login, a gateway without a backend. */

/** Name and code of the error for such an answer. */
export const FOREIGN_ANSWER = 'ForeignAnswer';

/** What an operator reads about it. */
export const FOREIGN_ADVICE = 'another program answers with a page in its place';

/**
 * Whether a page came that another program made: its 404 does not mean that an object is gone, nor its 200 that one is
 * empty. Stores talk XML, objects have entity tags, and a store that calls its answers pages or texts gives the id of
 * the request. Faults from 500 on pass in any case, and are not looked at.
 */
export function isForeign(answer: {
  status: number;
  contentType: string | undefined;
  etag: string | undefined;
  requestId: string | undefined;
}): boolean {
  const { status, contentType = '', etag, requestId } = answer;
  return (
    status < 500 &&
    /^(?:text\/(?:html|plain)|application\/(?:xhtml\+xml|json))\b/i.test(contentType) &&
    requestId === undefined &&
    etag === undefined
  );
}

/** The error for such an answer; it has no status, since the store gave none. */
export function foreignAnswer(): Error & { code: string } {
  return Object.assign(new Error('the answer is a page'), { name: FOREIGN_ANSWER, code: FOREIGN_ANSWER });
}
