/**
 * Sends a form that its fields agree with. The form has `novalidate`, so that no bubble of the browser opens:
 * each field says in its own place what it misses, and the first of them has the focus.
 */
export function whenValid(send: () => unknown): (event: SubmitEvent) => void {
  return event => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    if (form.checkValidity()) send()
    else form.querySelector<HTMLElement>(':is(input, select, textarea):invalid')?.focus()
  }
}
