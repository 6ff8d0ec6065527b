import type { Direction } from '@voelgoed/core/entry/scan'

/** The device remembers the gate it stands at. */
export interface Settings {
  readonly slug: string | null
  readonly eventId: string | null
  readonly gate: string
  readonly direction: Direction
  readonly hasSound: boolean
}

const KEY = 'voelgoed:scan'
const DEVICE = 'voelgoed:scan-device'
const NOTHING: Settings = { slug: null, eventId: null, gate: '', direction: 'in', hasSound: true }

export function keptSettings(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<Settings> | null
    return { ...NOTHING, ...kept }
  } catch {
    return NOTHING
  }
}

export function keepSettings(settings: Settings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings))
  } catch {
    // Not allowed: they last as long as the page.
  }
}

/** Names this device in the list of entries. The name stays the same as long as its browser keeps it. */
export function deviceName(): string {
  try {
    const kept = localStorage.getItem(DEVICE)
    if (kept) return kept
    const made = `phone-${crypto.randomUUID().slice(0, 8)}`
    localStorage.setItem(DEVICE, made)
    return made
  } catch {
    return 'phone'
  }
}
