package spannerfake

import (
	"slices"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func nameOf(p *ast.Path) (schema, name string) {
	name = p.Idents[len(p.Idents)-1].Name
	if len(p.Idents) > 1 {
		schema = p.Idents[0].Name
	}
	return schema, name
}

func spell(p *ast.Path) string {
	schema, name := nameOf(p)
	return (&table{schema: schema, name: name}).spelled()
}

func (d *Database) createTable(st *ast.CreateTable, text string) error {
	t := &table{}
	t.schema, t.name = nameOf(st.Name)
	if t.schema != "" && !slices.Contains(d.schemas, t.schema) {
		return status.Errorf(codes.NotFound, "Schema not found: %s", t.schema)
	}
	if d.tables[t.spelled()] != nil || d.streams[t.spelled()] != nil {
		if st.IfNotExists {
			return nil
		}
		return duplicate(t.spelled())
	}
	keys := st.PrimaryKeys
	for _, def := range st.Columns {
		if err := t.add(def, text); err != nil {
			return err
		}
		if def.PrimaryKey {
			keys = append(keys, &ast.IndexKey{Name: def.Name})
		}
	}
	for _, c := range st.TableConstraints {
		if pk, ok := c.Constraint.(*ast.TablePrimaryKey); ok {
			keys = append(keys, pk.Columns...)
		}
	}
	for _, k := range keys {
		c := t.column(k.Name.Name)
		if c == nil {
			return status.Errorf(codes.InvalidArgument, "Table %s references nonexistent key column %s", t.spelled(), k.Name.Name)
		}
		c.inKey = true
		t.key = append(t.key, keyPart{c, k.Dir == ast.DirectionDesc})
	}
	if st.Cluster != nil {
		t.parent = d.tables[spell(st.Cluster.TableName)]
		if t.parent == nil {
			return status.Errorf(codes.NotFound, "Table not found: %s", spell(st.Cluster.TableName))
		}
		if len(t.key) < len(t.parent.key) {
			return status.Errorf(codes.InvalidArgument, "Table %s does not reference all parent key columns of %s", t.spelled(), t.parent.spelled())
		}
		t.interleaved, t.cascade = "IN", st.Cluster.OnDelete == ast.OnDeleteCascade
		if st.Cluster.Enforced {
			t.interleaved = "IN PARENT"
		}
		t.parent.children = append(t.parent.children, t)
	}
	if st.RowDeletionPolicy != nil {
		t.policy = policyText(st.RowDeletionPolicy.RowDeletionPolicy)
	}
	d.tables[t.spelled()] = t
	d.order = append(d.order, t)
	return nil
}

func policyText(p *ast.RowDeletionPolicy) string {
	return strings.TrimSuffix(strings.TrimPrefix(p.SQL(), "ROW DELETION POLICY ("), ")")
}

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

func (d *Database) alterTable(st *ast.AlterTable, text string) error {
	t := d.tables[spell(st.Name)]
	if t == nil {
		return status.Errorf(codes.NotFound, "Table not found: %s", spell(st.Name))
	}
	switch alter := st.TableAlteration.(type) {
	case *ast.AddColumn:
		if alter.IfNotExists && t.column(alter.Column.Name.Name) != nil {
			return nil
		}
		if err := t.add(alter.Column, text); err != nil {
			return err
		}
		for _, s := range d.listed {
			if err := d.trackedTooOften(s); err != nil {
				t.columns = t.columns[:len(t.columns)-1]
				return err
			}
		}
		return nil
	case *ast.DropColumn:
		c := t.column(alter.Name.Name)
		if c == nil {
			return status.Errorf(codes.NotFound, "Column not found in table %s: %s", t.spelled(), alter.Name.Name)
		}
		return d.dropColumn(t, c)
	case *ast.AlterColumn:
		c := t.column(alter.Name.Name)
		if c == nil {
			return status.Errorf(codes.NotFound, "Column not found in table %s: %s", t.spelled(), alter.Name.Name)
		}
		return c.alter(t, alter.Alteration, text)
	case *ast.AddRowDeletionPolicy:
		t.policy = policyText(alter.RowDeletionPolicy)
		return nil
	case *ast.ReplaceRowDeletionPolicy:
		t.policy = policyText(alter.RowDeletionPolicy)
		return nil
	case *ast.DropRowDeletionPolicy:
		t.policy = ""
		return nil
	}
	return status.Errorf(codes.Unimplemented, "the fake does not know the statement: %s", st.SQL())
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

// dropTable takes a table away unless a stream names it or a table is interleaved in it.
func (d *Database) dropTable(st *ast.DropTable) error {
	t := d.tables[spell(st.Name)]
	if t == nil {
		if st.IfExists {
			return nil
		}
		return status.Errorf(codes.NotFound, "Table not found: %s", spell(st.Name))
	}
	var by []string
	for _, s := range d.listed {
		if !s.all && s.sees(t) != nil {
			by = append(by, s.name)
		}
	}
	if len(by) > 0 {
		return status.Errorf(codes.FailedPrecondition, "Cannot drop table %s. Table %s is tracked by %d Change Stream: %s. Tables explicitly tracked by a Change Stream cannot be dropped. Please drop the Change Stream or modify its FOR clause to stop tracking the table explicitly before dropping the table.", t.spelled(), t.spelled(), len(by), strings.Join(by, ","))
	}
	if len(t.children) > 0 {
		return status.Errorf(codes.FailedPrecondition, "Cannot drop table %s with interleaved tables.", t.spelled())
	}
	if t.parent != nil {
		t.parent.children = slices.DeleteFunc(t.parent.children, func(o *table) bool { return o == t })
	}
	delete(d.tables, t.spelled())
	d.order = slices.DeleteFunc(d.order, func(o *table) bool { return o == t })
	return nil
}
