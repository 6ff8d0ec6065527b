export const CHROMIUM_OPTIONS: string[]
export function findChromium(): string
