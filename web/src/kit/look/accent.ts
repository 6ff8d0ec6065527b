import { accentOf } from '@voelgoed/core/brand/accent'

/** Draws what is below `element` with this accent; null: with ours. */
export function useAccent(element: HTMLElement, colour: string | null): void {
  const accent = colour === null ? null : accentOf(colour)
  for (const scheme of ['light', 'dark'] as const) {
    const { accent: plain, strong, soft, on } = accent?.[scheme] ?? {}
    const set = (name: string, value: string | undefined) =>
      value === undefined
        ? element.style.removeProperty(`--${name}-${scheme}`)
        : element.style.setProperty(`--${name}-${scheme}`, value)
    set('accent', plain)
    set('accent-strong', strong)
    set('accent-soft', soft)
    set('on-accent', on)
  }
}
