;; SPDX-License-Identifier: MIT
;; What TinyScheme lacks to read Seatbelt profiles: raw strings #"...", which end at the next double
;; quote, and three forms. Debian's build 1.42 has broken string-ref, string=?, equal? and vector-ref
;; ("index must be exact"); nothing here or in prelude.scm uses them.

(define (%raw-string)
  (let ((out (open-output-string)))
    (let more ((c (read-char)))
      (cond ((eof-object? c) (error "SBPL: end of file in a raw string"))
            ((char=? c #\") (get-output-string out))
            (else (write-char c out) (more (read-char)))))))
(define (*sharp-hook*)
  (let ((c (read-char)))
    (if (char=? c #\") (%raw-string) (error "SBPL: unknown sharp syntax"))))

(macro (with-filter form) `(%with-filter ,(cadr form) (lambda () ,@(cddr form))))
(macro (when form) `(if ,(cadr form) (begin ,@(cddr form))))
(macro (unless form) `(if ,(cadr form) #f (begin ,@(cddr form))))
