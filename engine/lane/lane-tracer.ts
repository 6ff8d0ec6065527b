import type { BatchFigures } from './batch-figures.ts'

/** Hears of the way of each command through a lane. A node without a collector of traces has none. */
export interface LaneTracer {
  /** A command, or exclusive work, has come; called in the context of its caller. Null: it is not traced. */
  came(kind: string): TracedWay | null
  /** Runs what a lane does for many callers outside the context of the caller that woke it. */
  apart(run: () => void): void
}

/** The way of one command, or of one piece of exclusive work. One that is refused from memory only leaves. */
export interface TracedWay {
  /** It has waited long enough: its round begins. Again, when the event had to be loaded before it. */
  began(): void
  /** The batch that it was part of has ended. */
  ended(figures: BatchFigures): void
  /** Its caller is answered. */
  left(): void
}

/** Tells the way when its caller is answered. */
export function leaving<T>(way: TracedWay, answer: Promise<T>): Promise<T> {
  return answer.finally(() => way.left())
}
