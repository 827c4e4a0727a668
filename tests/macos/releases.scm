;; SPDX-License-Identifier: MIT
;; Symbols of prelude.scm that a release of macOS does not know, or of which no public source shows that it
;; does: a profile that uses one is refused there as a whole. Operations: the list in libsandbox of 14.4.1,
;; and for 13 those that are also in the list of 10.15. TIOCSTI is reported as unbound on 14.2 and as known
;; on 26.6; nothing is known of 15.

(define *lacking*
  '((13 TIOCSTI ipc-posix-shm-read* system-mac-syscall syscall-unix)
    (14 TIOCSTI ipc-posix-shm-read*)
    (15 TIOCSTI ipc-posix-shm-read*)
    (26 ipc-posix-shm-read*)))

;; What is not bound stops the load, as in Seatbelt, although TinyScheme cannot remove a binding.
(define (release number)
  (for-each (lambda (name) (eval (list 'define name (list 'quote (cons '%unbound name)))
                    (interaction-environment)))
            (cdr (assv number *lacking*))))
