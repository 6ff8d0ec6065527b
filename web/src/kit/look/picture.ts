/** An image as the server tells of it. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly colour: string
  readonly sources: readonly { readonly url: string; readonly width: number }[]
  readonly plain: { readonly url: string }
}

export function srcsetOf({ sources }: Picture): string {
  return sources.map(({ url, width }) => `${url} ${width}w`).join(', ')
}
