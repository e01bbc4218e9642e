/** What a reader of tags tells of a text, and what it is told to. */

export interface TagAttribute {
  uri: string;
  local: string;
  /** As it is written. */
  name: string;
  value: string;
}

export interface StartTag {
  uri: string;
  local: string;
  attributes: readonly TagAttribute[];
  line: number;
  /** Namespace of a prefix here. */
  resolve(prefix: string): string | undefined;
}

/** What the caller needs of the texts in the element that is open. */
export type Wanted = 'nothing' | 'blank' | 'text' | 'doubles';

export interface TagHandler {
  start(tag: StartTag): void;
  end(): void;
  wanted(): Wanted;
  /** A text, or that there is one with more than white space where `blank` was wanted. */
  text(text: string): void;
  /** The whole text of the element is numbers with white space between. */
  doubles(): void;
}
