import type { Ask } from '@voelgoed/kit/postgres/announcement-messages'

/** Nodes tell each other by this that an event has moved on. Nothing depends on it but how soon they know. */
export interface Bus {
  tell(organizationId: string, eventId: string, seq: number): void
  onHeard(heard: (organizationId: string, eventId: string, seq: number) => void): void
  /** Asks every other node. False: they could not be asked. */
  ask(ask: Ask): Promise<boolean>
  onAsked(asked: (ask: Ask) => void): void
  /** Called when listening begins, also again after it was lost. */
  onListening(began: () => void): void
  readonly isListening: boolean
}
