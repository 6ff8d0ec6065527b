/** The floors of a layout, in the order in which its zones name them. */
export function levelsOf(zones: readonly { readonly level?: string | null | undefined }[]): string[] {
  return [...new Set(zones.flatMap(({ level }) => level ?? []))]
}
