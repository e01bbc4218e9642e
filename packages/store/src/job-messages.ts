/** Messages that tell workers of jobs, where the database can carry them; the table of jobs stays the record. */

export interface JobReceiverOptions {
  /** Kinds of jobs that are wanted. */
  kinds: readonly string[];
  /** Messages that are held at once. */
  concurrency: number;
  /** How often to look for messages that nobody was woken for, ms. */
  pollMs: number;
  /** Called with the id of a job; the message is done with when it resolves. It never rejects. */
  take(id: string): Promise<void>;
  /** Kinds of which no job is wanted at the moment. */
  blocked(): readonly string[];
  /** The receiver has ended by itself, because the database was away for long. */
  onEnd(error: unknown): void;
  /** What the carrier says of faults that it goes on after. */
  onWarning(message: string): void;
}

export interface JobReceiver {
  /** Takes no more messages, and resolves when those that are held are done with. */
  stop(): Promise<void>;
}

export interface JobMessageQueue {
  /** Begins to deliver messages. Throws StoreUnavailable. */
  receive(options: JobReceiverOptions): Promise<JobReceiver>;
}
