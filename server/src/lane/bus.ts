/** How nodes tell each other that an event has moved on. Nothing depends on it but how soon they know. */
export interface Bus {
  tell(organizationId: string, eventId: string, seq: number): void
  onHeard(heard: (organizationId: string, eventId: string, seq: number) => void): void
  /** Asks every node, this one included, to load the event again. False: the others could not be asked. */
  askToReload(organizationId: string, eventId: string): Promise<boolean>
  onReload(asked: (organizationId: string, eventId: string) => void): void
  /** Called when listening begins, also again after it was lost. */
  onListening(began: () => void): void
  readonly isListening: boolean
}
