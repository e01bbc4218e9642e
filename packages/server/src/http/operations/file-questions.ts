/** What URLs of the file search ask for: the same ones come again and again, and reading one takes a while. */
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { parseConditions } from '../../catalogue/search/conditions.ts';
import type { FileFilters } from '../../catalogue/search/file-filter.ts';
import type { FileQuestion } from '../../catalogue/search/file-search.ts';

/** Characters of the URLs that are kept, with what a question takes besides as so many. */
const MAX_LENGTH = 4 * 2 ** 20;
const QUESTION_LENGTH = 1_000;
/** A longer URL has many conditions, and is not asked for often. */
const MAX_URL = 2_000;

export interface FileQuestionsOptions {
  /** What conditions stand behind in a path. */
  prefix: string;
  /** Meshes, spatial IDs or codes of one question. */
  maxBounds: number;
  /** What the parameters ask of files. Throws ServiceError 400. */
  filters(query: unknown): FileFilters;
}

/** Reads questions, and keeps those of the URLs that were asked for last. What it gives must not be changed. */
export class FileQuestions {
  readonly #options: FileQuestionsOptions;
  readonly #read = new LRUCache<string, FileQuestion>({
    maxSize: MAX_LENGTH,
    sizeCalculation: (_, url) => QUESTION_LENGTH + url.length,
  });

  constructor(options: FileQuestionsOptions) {
    this.#options = options;
  }

  /** What a request asks for; the same object while it is kept. Throws ServiceError 400. */
  of(request: FastifyRequest): FileQuestion {
    // The path as it was sent: the conditions decode themselves, whatever mix of encodings they come in.
    const url = request.raw.url!;
    let question = this.#read.get(url);
    if (question === undefined) {
      const { prefix, maxBounds, filters } = this.#options;
      // A slash at the end is passed over as in all other paths.
      const path = url.split('?', 1)[0]!.replace(/\/$/, '');
      const conditions = parseConditions(path.slice(prefix.length), { maxBounds });
      question = { conditions, filters: filters(request.query) };
      if (url.length <= MAX_URL) this.#read.set(url, question);
    }
    return question;
  }
}
