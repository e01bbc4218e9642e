/** What tests look into. */
import { gunzipSync } from 'node:zlib';
import type { ReadyDocument } from '../generated-document.ts';

/** The text of a document as those see it who take gzip. */
export async function textOf(document: ReadyDocument): Promise<string> {
  return gunzipSync(await document.gzip()).toString();
}
