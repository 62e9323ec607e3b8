package errors

import stderrors "errors"

// Is reports whether any error in err's tree matches target. It is the
// standard library's errors.Is.
func Is(err, target error) bool { return stderrors.Is(err, target) }

// As finds the first error in err's tree that matches target, and if one is
// found, sets target to it. It is the standard library's errors.As.
func As(err error, target any) bool { return stderrors.As(err, target) }

// AsType finds the first error in err's tree of type E. It is the standard
// library's errors.AsType.
func AsType[E error](err error) (E, bool) { return stderrors.AsType[E](err) }

// Join returns an error that wraps the given errors. It is the standard
// library's errors.Join.
func Join(errs ...error) error { return stderrors.Join(errs...) }

// New returns an error that formats as the given text. It is the standard
// library's errors.New.
func New(text string) error { return stderrors.New(text) }

// Unwrap returns the result of calling Unwrap on err, if err has such a method.
// It is the standard library's errors.Unwrap.
func Unwrap(err error) error { return stderrors.Unwrap(err) }
