/** This device has let in so many: of one event, on one of its days. */
interface LetIn {
  readonly eventId: string
  readonly day: string
  readonly count: number
}

const KEY = 'voelgoed:scan-admitted'

export function keptCount(eventId: string, day: string): number {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<LetIn> | null
    return kept?.eventId === eventId && kept.day === day && Number.isSafeInteger(kept.count) ? kept.count! : 0
  } catch {
    return 0
  }
}

export function keepCount(letIn: LetIn): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(letIn))
  } catch {
    // Not allowed: it lasts as long as the page.
  }
}
