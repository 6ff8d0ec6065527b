/**
 * Something the operator can put right: a wrong variable, a port that is taken, a directory that can't be
 * written. `main` prints the message as one line and exits with code 1; anything else that is thrown while
 * starting is a fault of ours and is printed with its stack.
 */
export class StartupError extends Error {
  override name = 'StartupError'
}
