/** What stores tell of themselves to those who watch over them. */

/** Requests of one kind that ended in one way, since the process began. */
export interface RequestFigure {
  /** As the store names it, such as `GetObject`. */
  operation: string;
  /**
   * `ok`; `refused`: an answer that says no, such as 404; `failed`: a fault of the store; `unanswered`: no answer came.
   */
  outcome: 'ok' | 'refused' | 'failed' | 'unanswered';
  count: number;
  /** Until their answers began, all together. */
  seconds: number;
}

/** Of a store that is reached over a network. */
export interface ObjectStoreFigures {
  requests: RequestFigure[];
  /** Requests under way and those that wait for a place; streams are not among them. */
  places: { inUse: number; waiting: number };
  /** False while callers are refused at once because the store does not answer. */
  isAnswering: boolean;
  /** Streams that were read in the slower way because the faster one failed. */
  slowStreams: number;
  /** When the keys end, ms since 1970; null when they do not, or that is not known. */
  credentialsEnd: number | null;
  /** What is kept here of it; null where nothing is. */
  cache: CacheFigures | null;
}

/** Blocks of objects that are kept, since the process began. */
export interface CacheFigures {
  memoryHits: number;
  diskHits: number;
  misses: number;
  /** Bytes in memory now. */
  memoryBytes: number;
}

/** Of a database that is reached over a network. */
export interface DatabaseFigures {
  /** Connections that are open, those of them that nobody uses, and callers that wait for one. */
  connections: { open: number; idle: number; waiting: number };
  /** Connections that were given up because nothing came over them any more. */
  silentConnections: number;
  /** True when nothing can be written, as on a standby. */
  isReadOnly: boolean;
}
