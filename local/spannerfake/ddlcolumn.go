package spannerfake

import (
	"slices"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// written is an expression as the statement has it.
func written(x ast.Expr, text string) string { return text[x.Pos():x.End()] }

// add appends a column.
func (t *table) add(def *ast.ColumnDef, text string) error {
	if t.column(def.Name.Name) != nil {
		return status.Errorf(codes.FailedPrecondition, "Duplicate column name %s.%s.", t.spelled(), def.Name.Name)
	}
	typ, err := typeOf(def.Type)
	if err != nil {
		return err
	}
	c := &column{name: def.Name.Name, slot: t.slots, typ: typ, notNull: def.NotNull}
	switch d := def.DefaultSemantics.(type) {
	case *ast.ColumnDefaultExpr:
		c.fallback, c.fallbackText = d.Expr, written(d.Expr, text)
	case *ast.GeneratedColumnExpr:
		c.generated, c.stored = written(d.Expr, text), !d.Stored.Invalid()
	}
	c.set(def.Options)
	t.columns = append(t.columns, c)
	t.slots++
	return nil
}

func (c *column) set(o *ast.Options) {
	if o == nil {
		return
	}
	for _, r := range o.Records {
		if r.Name.Name == "allow_commit_timestamp" {
			b, ok := r.Value.(*ast.BoolLiteral)
			c.stamped = ok && b.Value
		}
	}
}

func (c *column) alter(t *table, how ast.ColumnAlteration, text string) error {
	switch a := how.(type) {
	case *ast.AlterColumnType:
		typ, err := typeOf(a.Type)
		if err != nil {
			return err
		}
		if typ.code != c.typ.code {
			return status.Errorf(codes.FailedPrecondition, "Cannot change type of column `%s.%s` from `%s` to `%s`.", t.spelled(), c.name, c.typ.text, typ.text)
		}
		c.typ, c.notNull = typ, a.NotNull
	case *ast.AlterColumnSetOptions:
		c.set(a.Options)
	case *ast.AlterColumnSetDefault:
		c.fallback, c.fallbackText = a.DefaultExpr.Expr, written(a.DefaultExpr.Expr, text)
	case *ast.AlterColumnDropDefault:
		c.fallback = nil
	default:
		return status.Errorf(codes.Unimplemented, "the fake does not know the change of a column: %s", how.SQL())
	}
	return nil
}

// dropColumn takes a column away unless a stream names it.
func (d *Database) dropColumn(t *table, c *column) error {
	if c.inKey {
		return status.Errorf(codes.FailedPrecondition, "Cannot drop key column %s from table %s.", c.name, t.spelled())
	}
	var by []string
	for _, s := range d.listed {
		for _, w := range s.watched {
			if w.t == t && slices.Contains(w.columns, c) {
				by = append(by, s.name)
			}
		}
	}
	if len(by) > 0 {
		return status.Errorf(codes.FailedPrecondition, "Cannot drop column %s.%s . Column %s.%s is tracked by %d Change Stream: %s. Columns explicitly tracked by a Change Stream cannot be dropped. Please alter the Change Stream to stop tracking the column before dropping the column.", t.spelled(), c.name, t.spelled(), c.name, len(by), strings.Join(by, ","))
	}
	t.columns = slices.DeleteFunc(slices.Clone(t.columns), func(o *column) bool { return o == c })
	return nil
}
