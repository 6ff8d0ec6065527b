/** All pages of a list, up to a bound. */
export async function loadPages<T>(
  most: number,
  page: (query: { readonly limit: string; readonly after?: string }) => Promise<{
    readonly data: readonly T[]
    readonly next: string | null
  }>,
): Promise<readonly T[]> {
  const found: T[] = []
  let after: string | null = null
  do {
    const part: { readonly data: readonly T[]; readonly next: string | null } = await page({
      limit: '200',
      ...(after !== null && { after }),
    })
    found.push(...part.data)
    after = part.next
  } while (after !== null && found.length < most)
  return found
}
