import { tick } from 'svelte'

const MARKED = '[aria-invalid="true"]'

/**
 * Goes to the first field that is marked as wrong, when the marks of this moment are on the page. Returns the
 * number of marked fields.
 */
export async function focusFault(within: ParentNode = document): Promise<number> {
  await tick()
  const marked = [...within.querySelectorAll<HTMLElement>(MARKED)].filter(
    field => field.offsetParent !== null,
  )
  marked[0]?.focus()
  marked[0]?.scrollIntoView({ block: 'center' })
  return marked.length
}
